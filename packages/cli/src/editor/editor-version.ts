/** What is installed: they belong together, for compiled parts fit one Node only. */
export const codeServerVersion = '4.139.1';
export const nodeVersion = '24.9.0';

/** The name of its folder, and how to tell which one it is. */
export function folderName(version: string): string {
  return `code-server-${version}`;
}
