/**
 * Who may import whom in `src/`: each room with the rooms it knows. A room is entered through its index.ts; `lib`, `db` and
 * `http` are tools without one. Tests may reach into any file.
 */
export const ROOMS: Record<string, readonly string[]> = {
  lib: [],
  db: ['lib'],
  http: ['lib'],
  'docs-site': ['lib', 'http'],
  ledger: ['lib', 'db'],
  'request-log': ['lib', 'db', 'http'],
  webhooks: ['lib', 'db', 'http'],
  operators: ['lib', 'db', 'http'],
  reports: ['lib', 'db', 'http'],
  catalog: ['lib', 'db', 'http', 'operators'],
  jobs: ['lib', 'db', 'http', 'operators'],
  resellers: ['lib', 'db', 'http', 'operators', 'ledger', 'webhooks'],
  // The port and its adapters; of these only the sandbox, being a supplier itself, keeps a book.
  suppliers: ['lib'],
  'suppliers/sandbox': ['lib', 'db'],
  exchanges: ['lib', 'db', 'suppliers'],
  'supplier-health': ['lib', 'db', 'suppliers'],
  connections: ['lib', 'db', 'http', 'operators', 'suppliers', 'supplier-health'],
  routing: ['lib', 'db', 'http', 'operators', 'suppliers', 'supplier-health', 'connections'],
  players: ['lib', 'http', 'catalog', 'routing', 'suppliers'],
  orders: [
    'lib',
    'db',
    'http',
    'operators',
    'ledger',
    'webhooks',
    'catalog',
    'resellers',
    'players',
    'suppliers',
    'exchanges',
    'connections',
    'routing',
  ],
  'price-lists': ['lib', 'db', 'http', 'operators', 'catalog', 'suppliers', 'connections', 'routing'],
  callbacks: ['lib', 'db', 'http', 'operators', 'suppliers', 'connections', 'orders'],
  // It compares and settles nothing: it knows the states and names of orders.
  reconciliation: ['lib', 'db', 'http', 'operators', 'orders'],
  reference: ['lib', 'http', 'catalog', 'orders', 'resellers', 'suppliers', 'webhooks'],
  // The command line speaks HTTP, through the client library.
  cli: ['lib', 'sdk'],
};

/** `main` wires all rooms together, and is the only one to know adapters. */
const MAIN = 'main';
const WITHOUT_INDEX = ['lib', 'db', 'http'];
/** A file's own room may also be a part of a room that has rules of its own. */
const PARTS = Object.keys(ROOMS).filter((room) => room.includes('/'));

/** Imports that the table does not allow, each as `importer → imported: why`. Paths are from the project's root, with slashes. */
export function findTrespasses(imports: { from: string; to: string }[]): string[] {
  return imports.flatMap(({ from, to }) => {
    const why = reasonAgainst(from, to);
    return why === null ? [] : [`${from} → ${to}: ${why}`];
  });
}

function reasonAgainst(from: string, to: string): string | null {
  const [own, other] = [roomOf(from), roomOf(to)];
  if (own === null) return 'this room is not in the table';
  if (isAdapter(to) && adapterOf(to) !== adapterOf(from) && own !== MAIN) return 'only main knows adapters';
  if (other === own || (other === 'suppliers' && own.startsWith('suppliers/'))) return null;
  if (other === MAIN) return 'nobody knows main';
  if (own !== MAIN && (other === null || !ROOMS[own]?.includes(other))) return `${own} does not know ${other ?? to}`;
  return WITHOUT_INDEX.includes(other ?? '') || to.endsWith('/index.ts') ? null : 'a room is entered through its index.ts';
}

function roomOf(file: string): string | null {
  if (file.startsWith('sdk/')) return 'sdk';
  const part = PARTS.find((room) => file.startsWith(`src/${room}/`));
  const room = part ?? /^src\/([^/]+)\//.exec(file)?.[1] ?? '';
  return room in ROOMS || room === MAIN ? room : null;
}

function adapterOf(file: string): string | null {
  return /^src\/suppliers\/([^/]+)\//.exec(file)?.[1] ?? null;
}

function isAdapter(file: string): boolean {
  return adapterOf(file) !== null;
}
