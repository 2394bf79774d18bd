/** Why the program itself sends no orders to a supplier, until that has changed. */
export interface Hold {
  kind: 'misconfigured' | 'low_balance';
  reason: string;
}
