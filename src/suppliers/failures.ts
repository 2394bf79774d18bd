/** Why an order failed, in words that name no supplier. Resellers see the code, the message and whether the player can mend it. */
export const FAILURES = {
  out_of_stock: { message: 'The item is out of stock. Your balance was refunded.', fixableByPlayer: false },
  player_rejected: {
    message: 'The game did not accept this player account. Check the user ID and zone; your balance was refunded.',
    fixableByPlayer: true,
  },
  region_mismatch: {
    message: 'The player account belongs to another region than this item. Your balance was refunded.',
    fixableByPlayer: true,
  },
  limit_reached: {
    message: 'The player has reached the purchase limit of this item. Your balance was refunded.',
    fixableByPlayer: true,
  },
  not_deliverable: { message: 'The item could not be delivered. Your balance was refunded.', fixableByPlayer: false },
  temporarily_unavailable: {
    message: 'The item cannot be delivered at the moment. Your balance was refunded; try again later.',
    fixableByPlayer: false,
  },
  reversed: { message: 'The delivery was taken back after it had succeeded. Your balance was refunded.', fixableByPlayer: false },
  operator_decision: {
    message: 'An operator closed the order after checking it. Your balance was refunded.',
    fixableByPlayer: false,
  },
} as const satisfies Record<string, { message: string; fixableByPlayer: boolean }>;

export type FailureCode = keyof typeof FAILURES;
