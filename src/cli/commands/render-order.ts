import type { Attempt, AuditEntry, Exchange, Order, OrderDetail, Transfer } from '../answers.ts';
import { fullTime, money, moneyChange, orderStatusCell, playerText, shortTime, statusCell } from '../format.ts';
import { joinBlocks, section } from '../output.ts';
import { type Cell, type Paint, renderDetails, renderTable, withoutControls } from '../table.ts';

const right = 'right' as const;

/** A list of orders. */
export function renderOrders(orders: Order[], paint: Paint): string {
  return renderTable(
    [
      { title: 'Order' },
      { title: 'Reference' },
      { title: 'Service' },
      { title: 'Player' },
      { title: 'Price', align: right },
      { title: 'Status' },
      { title: 'Mode' },
      { title: 'Bought' },
    ],
    orders.map((order) => [
      order.order_id,
      order.ref_id,
      order.service_code,
      playerText(order.account_identifier),
      money(order.price, order.currency),
      orderStatusCell(order),
      order.mode,
      shortTime(order.purchase_time),
    ]),
    paint,
  );
}

/** An order as its reseller knows it. */
export function renderOrder(order: Order, paint: Paint): string {
  return renderDetails(entriesOf(order), paint);
}

/** An order with everything that happened to it. */
export function renderOrderDetail(order: OrderDetail, paint: Paint): string {
  const block = (title: string, rows: unknown[], body: () => string) =>
    rows.length === 0 ? null : section(title, body(), paint);
  const exchanges = order.attempts.flatMap((attempt) => attempt.exchanges);
  return joinBlocks(
    renderDetails(
      [
        ...entriesOf(order),
        ['Reseller', order.reseller_id],
        ['Supplier', order.supplier],
        ['Looked at again', fullTime(order.next_action_at)],
        ['In review since', order.review && fullTime(order.review.since)],
        ['Because', order.review && { text: order.review.reason, tone: 'warning' }],
        ['Resolved by', order.resolved_by],
      ],
      paint,
    ),
    block('Attempts', order.attempts, () => renderAttempts(order.attempts, order.currency, paint)),
    block('Over the wire', exchanges, () => exchanges.map((exchange) => renderExchange(exchange, paint)).join('\n')),
    block('Transfers', order.transfers, () => renderTransfers(order.transfers, order.currency, paint)),
    block('Done by hand', order.audit_log, () => renderOrderActions(order.audit_log, paint)),
    block('Events', order.events, () =>
      renderTable(
        [{ title: '#', align: right }, { title: 'Type' }, { title: 'Time' }, { title: 'Event' }],
        order.events.map((event) => [String(event.sequence), event.type, shortTime(event.timestamp), event.event_id]),
        paint,
      ),
    ),
  );
}

function entriesOf(order: Order): [string, Cell | null][] {
  const { failure } = order;
  return [
    ['Order', order.order_id],
    ['Reference', order.ref_id],
    ['Status', orderStatusCell(order)],
    ['Why', failure && `${failure.message} (${failure.code})`],
    ['Serial number', order.serial_number],
    ['Service', `${order.service_name} (${order.service_code})`],
    ['Player', playerText(order.account_identifier)],
    ['Price', money(order.price, order.currency)],
    ['Mode', order.mode],
    ['Bought', fullTime(order.purchase_time)],
    ['Changed', fullTime(order.updated_at)],
  ];
}

/** What was asked and what was answered, each on a line of its own: bodies are one long line as a rule. */
function renderExchange(exchange: Exchange, paint: Paint): string {
  const { method, url, status, error, duration_ms: durationMs } = exchange;
  const ended = status === null ? (error ?? 'no answer') : `HTTP ${status}`;
  const lines = [
    `${shortTime(exchange.time)}  ${method} ${url}  ${ended} in ${durationMs} ms: ${exchange.outcome}`,
    exchange.request_body && `  → ${exchange.request_body}`,
    exchange.response_body && `  ← ${exchange.response_body}`,
  ];
  const [first = '', ...bodies] = lines.flatMap((line) => (line ? [withoutControls(line)] : []));
  return [first, ...bodies.map((body) => paint('quiet', body))].join('\n');
}

function renderAttempts(attempts: Attempt[], currency: string, paint: Paint): string {
  return renderTable(
    [
      { title: '#', align: right },
      { title: 'Supplier' },
      { title: 'Item' },
      { title: 'Cost', align: right },
      { title: 'Status' },
      { title: 'Sent', align: right },
      { title: 'Asked', align: right },
      { title: 'Changed' },
      { title: 'Reference' },
      { title: 'Said' },
    ],
    attempts.map((attempt) => [
      String(attempt.number),
      attempt.supplier,
      attempt.sku,
      money(attempt.cost, currency),
      statusCell(attempt.status),
      `${attempt.sends}×`,
      `${attempt.checks}×`,
      shortTime(attempt.updated_at),
      [attempt.reference, attempt.supplier_reference].filter((name) => name !== null).join(' / '),
      [attempt.serial_number, attempt.code, attempt.message].filter((part) => part !== null).join(' · '),
    ]),
    paint,
  );
}

/** Who acted on the order and why; the order itself needs no repeating. */
function renderOrderActions(actions: AuditEntry[], paint: Paint): string {
  return renderTable(
    [{ title: 'When' }, { title: 'Who' }, { title: 'Did' }, { title: 'Reason' }],
    actions.map(({ time, actor, action, details }) => {
      const outcome = typeof details['to'] === 'string' ? ` (${details['to']})` : '';
      return [shortTime(time), actor, `${action.replace('order.', '')}${outcome}`, String(details['reason'] ?? '')];
    }),
    paint,
  );
}

function renderTransfers(transfers: Transfer[], currency: string, paint: Paint): string {
  return renderTable(
    [
      { title: 'Kind' },
      { title: 'Amount', align: right },
      { title: 'Balance after', align: right },
      { title: 'Time' },
      { title: 'Transfer' },
    ],
    transfers.map((transfer) => [
      transfer.kind,
      moneyChange(transfer.amount, currency),
      money(transfer.balance_after, currency),
      shortTime(transfer.time),
      transfer.transfer_id,
    ]),
    paint,
  );
}
