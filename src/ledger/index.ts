export { transferView, transferViewSchema } from './contract.ts';
export { type Account, post, TRANSFER_KINDS, type Transfer } from './ledger.ts';
export { adjust, deposit, type MoveOutcome } from './move-money.ts';
export {
  findAccount,
  findAccounts,
  findAccountsById,
  insertAccount,
  listOrderTransfers,
  listTransfers,
  lockAccounts,
  lockingAccounts,
  saveTransfers,
} from './store.ts';
