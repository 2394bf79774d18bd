import { literalAddress, type NetworkGuard } from './network-guard.ts';

export interface UrlRules {
  guard: NetworkGuard;
  /** In development only. */
  allowHttp: boolean;
}

/**
 * Why a URL cannot be an endpoint's, in words for its owner; null when it can. Names are not resolved here: what they resolve to
 * counts at the moment of each connection.
 */
export function refuseUrl(text: string, { guard, allowHttp }: UrlRules): string | null {
  const url = URL.parse(text);
  if (url === null) return 'must be a whole URL, e.g. https://shop.example/topgate.';
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return 'must begin with https://.';
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user name or password; verify the signature instead.';
  const address = literalAddress(url);
  if (address !== null && !guard.isAllowed(address)) return `must not point to ${address}, which is not a public address.`;
  return null;
}
