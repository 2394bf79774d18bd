export type { KeptExchange } from './exchange.ts';
export { type ExchangeLog, openExchangeLog, pruneExchanges } from './exchange-log.ts';
export { findExchanges } from './exchange-store.ts';
