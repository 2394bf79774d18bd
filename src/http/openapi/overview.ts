/** What a reader of the description meets first. */
export const INTRODUCTION = `Game top-up ordering: list games and their services, look up a player, place signed, prepaid orders, follow them to their end.

**Answers.** JSON in one envelope: \`{status, success, message, data}\`. Lists in pages add \`pagination\`: pass \`next_cursor\` as \`cursor\` to go on. An error has \`success: false\` and \`error.code\`, which is stable and made for programs. Answers may gain fields; do not refuse those you do not know.

**Money** is a whole number of the currency's minor unit. **Times** are ISO 8601 with the installation's offset.

**Signing.** \`POST /api/order\` carries a \`signature\`: the lower-case hex of HMAC-SHA256 with your signing secret over \`service_code\`, \`ref_id\`, \`user_id\`, \`zone\` and, only if sent, \`max_price\`, joined by line feeds. \`GET /api/reference/signature\` has examples to check yours against.

**Sending twice is safe.** A \`ref_id\` buys once: after a timeout send the same request again, and you get the order as it is now.`;

/** The groups of operations, in the order in which they are shown. */
export const TAGS = [
  { name: 'Account', description: 'Your balance and your statement.' },
  { name: 'Catalogue', description: 'Games, their services with your prices, and players.' },
  { name: 'Orders', description: 'Place orders and follow them.' },
  { name: 'Events', description: 'Everything you are told, in order and without gaps.' },
  { name: 'Webhooks', description: 'Endpoints of yours that are told of events, by Standard Webhooks.' },
  { name: 'Reference', description: 'States, error codes, event types and signing, for anybody to read.' },
  { name: 'Resellers', description: 'For operators: resellers, their tokens and their balances.' },
  { name: 'Order administration', description: 'For operators: all orders, and decisions on those that need one.' },
  { name: 'Catalogue administration', description: 'For operators: products, services, price tiers and files.' },
  { name: 'Suppliers', description: 'For operators: suppliers, and which of them delivers which service.' },
  { name: 'Reports', description: 'For operators: statistics, and the audit of the ledger.' },
  { name: 'Operation', description: 'Health, metrics, maintenance and this description.' },
] as const;
