/**
 * A text of somebody else as it can be kept: bounded, without half characters, which a cut may leave, and without NUL. The
 * database takes neither, and one text must not cost the others that are written with it.
 */
export function storableText(text: string, maxCharacters = Number.POSITIVE_INFINITY): string {
  return text.slice(0, maxCharacters).toWellFormed().replaceAll('\u0000', '\ufffd');
}
