import type * as vscode from 'vscode';

/** Whether the caller may know of a document: a script of any, an agent of those in the workspace. */
export type IsTold = (uri: vscode.Uri) => Promise<boolean>;

/** Those items whose document is told, in their order; each document is looked at once. */
export async function toldOf<Item>(
  items: readonly Item[],
  uriOf: (item: Item) => vscode.Uri,
  isTold: IsTold,
): Promise<Item[]> {
  const answers = new Map<string, Promise<boolean>>();
  const ask = (uri: vscode.Uri): Promise<boolean> => {
    const answer = answers.get(uri.toString()) ?? isTold(uri);
    answers.set(uri.toString(), answer);
    return answer;
  };
  const told = await Promise.all(items.map((item) => ask(uriOf(item))));
  return items.filter((_, index) => told[index]);
}
