/** Why the program itself sends no orders to a supplier, until that has changed. */
export interface Hold {
  /**
   * `misconfigured`: our account or its configuration is at fault, which a good answer about our balance refutes. `needs_operator`: the
   * same, where that answer proves nothing, so only an operator ends it.
   */
  kind: 'misconfigured' | 'needs_operator' | 'low_balance';
  reason: string;
}
