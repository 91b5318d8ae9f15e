import type { WorkspaceSource } from '@fairlead/protocol';

export interface GitAddress {
  /** Fit for an argument, a log and a view. */
  address: string;
  /** What git is to answer when it is asked who it is. */
  credential: { origin: string; username: string; password: string } | undefined;
}

/** Takes apart what stands before the host: by HTTP all of it may be a secret, by ssh the name is none. */
export function readGitAddress(url: string): GitAddress {
  const [, scheme, userInfo, host, path] = /^([a-z]+:\/\/)([^/?#]*)@([^/?#@]*)(.*)$/i.exec(url) ?? [];
  if (scheme === undefined || userInfo === undefined) return { address: url, credential: undefined };
  const [username = '', ...rest] = userInfo.split(':');
  if (!/^https?:/i.test(scheme))
    return { address: `${scheme}${username}@${host}${path}`, credential: undefined };
  const credential = {
    origin: `${scheme}${host}`,
    username: decoded(username),
    password: decoded(rest.join(':')),
  };
  return { address: `${scheme}${host}${path}`, credential };
}

/** The source as it may be told to whoever sees the session. */
export function shownWorkspace(source: WorkspaceSource): WorkspaceSource {
  return source.kind === 'git' ? { ...source, url: readGitAddress(source.url).address } : source;
}

/** A text that git has written, without what may be a secret in addresses. */
export function withoutPasswords(text: string): string {
  return text.replace(/\/\/[^/\s]*@/g, '//');
}

/** As it stands where it is no good encoding, or would break the lines that git reads. */
function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text);
    return /[\0\r\n]/.test(plain) ? text : plain;
  } catch {
    return text;
  }
}
