import { parseGatewayAddress, parseUrl } from './gateway-address.ts';

/** What somebody pasted to sign in: a pairing link, or the address of a gateway whose key is then asked for. */
export type SignInInput =
  | { kind: 'pairing'; url: string; code: string }
  | { kind: 'address'; url: string }
  | { kind: 'wrong'; problem: string };

export function parseSignInInput(text: string): SignInInput {
  const given = text.trim();
  const link = parseUrl(given);
  if (link !== undefined && isPairingLink(link)) return parsePairing(link.searchParams);
  if (/^f[lsw]_/.test(given)) {
    return { kind: 'wrong', problem: 'This is a key; first the address of the gateway, then its key' };
  }
  const address = parseGatewayAddress(given);
  return address.ok ? { kind: 'address', url: address.url } : { kind: 'wrong', problem: address.problem };
}

/** The query of a link that VS Code was opened with, or that was pasted. */
export function parsePairing(query: URLSearchParams): SignInInput {
  const code = query.get('code') ?? '';
  const address = parseGatewayAddress(query.get('url') ?? '');
  if (!address.ok) return { kind: 'wrong', problem: `The link names no gateway: ${address.problem}` };
  if (!/^[\w-]{4,256}$/.test(code)) {
    return {
      kind: 'wrong',
      problem: 'The link has no pairing code; make a new one with "fairlead window pair"',
    };
  }
  return { kind: 'pairing', url: address.url, code };
}

export function keyProblem(key: string): string | undefined {
  if (/^f[lw]_[\w-]+$/.test(key.trim())) return undefined;
  return 'Keys for a window begin with fl_ (an API key) or fw_ (the key of a paired window)';
}

/** By its path: the scheme is that of the product (`vscode:`, `vscode-insiders:`, `code-oss:`, …). */
function isPairingLink({ protocol, host, pathname }: URL): boolean {
  return (
    !/^https?:$/.test(protocol) && `${host}${pathname}`.replace(/^\/+/, '') === 'fairlead.fairlead/connect'
  );
}
