import * as vscode from 'vscode';
import { isReadableOnTheWay } from './gateway-address.ts';
import type { Credential } from './gateway-link.ts';
import { keyProblem, parseSignInInput } from './sign-in-input.ts';

export interface ChosenGateway {
  url: string;
  credential: Credential;
}

/** Asks which gateway, and for its key unless a pairing link says both; undefined when the user gave up. */
export async function askForGateway(before: string | undefined): Promise<ChosenGateway | undefined> {
  const text = await vscode.window.showInputBox({
    title: 'Fairlead: Which gateway? (1/2)',
    prompt: 'Paste the link that "fairlead window pair" prints, or type the address of the gateway',
    placeHolder: 'vscode://fairlead.fairlead/connect?…  or  https://gateway.example',
    ...(before !== undefined && { value: before }),
    ignoreFocusOut: true,
    validateInput: (value) => {
      const input = parseSignInInput(value);
      return value !== '' && input.kind === 'wrong' ? input.problem : undefined;
    },
  });
  if (text === undefined || text === '') return undefined;
  const input = parseSignInInput(text);
  if (input.kind === 'wrong') return undefined;
  if (!(await confirmReadable(input.url))) return undefined;
  if (input.kind === 'pairing') return { url: input.url, credential: { code: input.code } };
  const key = await vscode.window.showInputBox({
    title: 'Fairlead: The key (2/2)',
    prompt: `An API key of the gateway at ${input.url}; "fairlead key create" makes one`,
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => (value === '' ? undefined : keyProblem(value)),
  });
  return key ? { url: input.url, credential: { key: key.trim() } } : undefined;
}

/** A link can come from anywhere, so the user sees who would get in before anything is sent. */
export async function confirmPairing(url: string): Promise<boolean> {
  const connect = 'Connect';
  const workspace = vscode.workspace.name ?? 'this window';
  const answer = await vscode.window.showWarningMessage(
    `Let agents of ${url} work in ${workspace}?`,
    {
      modal: true,
      detail: `A link asks to connect this window to the gateway at ${url}. Agents of that gateway can then read files here, and ask you to change files and to run commands. Connect only if you made the link yourself or know who did.${readableWarning(url)}`,
    },
    connect,
  );
  return answer === connect;
}

async function confirmReadable(url: string): Promise<boolean> {
  if (!isReadableOnTheWay(url)) return true;
  const connect = 'Connect Without Encryption';
  const answer = await vscode.window.showWarningMessage(
    `${url} is not encrypted`,
    { modal: true, detail: readableWarning(url).trim() },
    connect,
  );
  return answer === connect;
}

function readableWarning(url: string): string {
  if (!isReadableOnTheWay(url)) return '';
  return `\n\nThis address is plain http to another machine: the key, your files and all commands would travel where others on the way can read and change them. Use https.`;
}
