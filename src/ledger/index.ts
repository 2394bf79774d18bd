export { transferView, transferViewSchema } from './contract.ts';
export { type Account, type Posting, post, signedAmount, TRANSFER_KINDS, type Transfer, type TransferKind } from './ledger.ts';
export { adjust, deposit, type MoveOutcome } from './move-money.ts';
export {
  findAccount,
  findAccounts,
  findAccountsById,
  insertAccount,
  type LockedAccount,
  listOrderTransfers,
  listTransfers,
  lockAccount,
  lockAccounts,
  saveTransfers,
} from './store.ts';
