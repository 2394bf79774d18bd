/** Types of `signature-check.js`, which browsers read as it is. */

export type Verdict = 'incomplete' | 'no_crypto' | 'no_signature' | 'matches' | 'differs';

export type FindingCode =
  | 'not_json'
  | 'field_missing'
  | 'zone_missing'
  | 'not_text'
  | 'control_character'
  | 'spaces_around'
  | 'not_composed'
  | 'unknown_field'
  | 'max_price_not_number'
  | 'max_price_not_whole'
  | 'max_price_written_otherwise'
  | 'secret_spaces'
  | 'secret_is_token'
  | 'secret_is_webhook'
  | 'secret_without_prefix'
  | 'signature_upper_case'
  | 'signature_not_hex'
  | 'signature_base64'
  | 'trailing_newline'
  | 'windows_newlines'
  | 'literal_newlines'
  | 'no_separators'
  | 'zone_line_missing'
  | 'max_price_left_out'
  | 'max_price_decimals'
  | 'other_order'
  | 'key_with_newline'
  | 'key_with_spaces'
  | 'key_without_prefix'
  | 'key_decoded'
  | 'key_and_message_swapped'
  | 'signature_of_own_string'
  | 'wrong_key'
  | 'no_known_mistake';

export interface Finding {
  code: FindingCode;
  field?: string;
}

export interface Difference {
  line: number;
  column: number;
  /** The character that should stand there; null when the string should have ended before. */
  expected: string | null;
  actual: string | null;
  expectedLine: string;
  actualLine: string;
}

export interface Examination {
  verdict: Verdict;
  stringToSign: string | null;
  lines: { field: string; value: string }[];
  expected: string | null;
  received: string | null;
  difference: Difference | null;
  findings: Finding[];
}

export function examine(input: {
  request: string;
  secret: string;
  ownString?: string;
  ownSignature?: string;
}): Promise<Examination>;
export function canSign(): boolean;
export function hmacHex(key: string | Uint8Array, text: string): Promise<string>;
export function firstDifference(expected: string, actual: string): Difference | null;
