import { randomUUID } from 'node:crypto';
import type { EditorParams, EditorResult } from '@fairlead/protocol';
import * as vscode from 'vscode';
import { RequestError } from '../request-error.ts';
import { chooseModel } from './choose-model.ts';
import { chatError, refusalInText } from './chat-errors.ts';
import type { ChatMessage, Conversations } from './conversations.ts';

type ChatParams = EditorParams<'vscode/chat'>;

export interface ChatCall {
  who: string;
  signal: AbortSignal;
  onPart: ((text: string) => void) | undefined;
}

/** A careful guess, so that the earlier messages leave room for the new one and its answer. */
const charactersPerToken = 2;

export async function chat(
  conversations: Conversations,
  params: ChatParams,
  { who, signal, onPart }: ChatCall,
): Promise<EditorResult<'vscode/chat'>> {
  const model = await findModel(params.model);
  const conversationId = params.conversationId ?? randomUUID();
  const room = model.maxInputTokens * charactersPerToken - params.message.length;
  const earlier = conversations.latest(conversationId, Math.max(0, room)).map(asModelMessage);
  const messages = [...earlier, vscode.LanguageModelChatMessage.User(params.message)];
  const askedAt = Date.now();
  const response = await send(model, messages, who, signal, params.stream ? onPart : undefined);
  // A model that is stopped may end as if it had said all: that is no answer to go on from.
  if (signal.aborted) throw new RequestError('cancelled', 'The request was cancelled.');
  const refusal = refusalInText(response);
  if (refusal !== undefined) throw refusal;
  conversations.add(conversationId, [
    { role: 'user', content: params.message, timestamp: askedAt },
    { role: 'assistant', content: response, timestamp: Date.now() },
  ]);
  const { id, name, vendor, family } = model;
  return { response, conversationId, model: { id, name, vendor, family } };
}

async function findModel(wanted: ChatParams['model']): Promise<vscode.LanguageModelChat> {
  if (typeof wanted === 'object') {
    const [first] = await vscode.lm.selectChatModels(wanted as vscode.LanguageModelChatSelector);
    if (first === undefined) throw noModel(`No language model fits ${JSON.stringify(wanted)}.`);
    return first;
  }
  const models = await vscode.lm.selectChatModels();
  const setting = vscode.workspace.getConfiguration('fairlead').get('chat.model', '');
  const model = chooseModel(models, wanted ?? setting);
  if (model === undefined) throw noModel('This VS Code has no language model.');
  return model;
}

function noModel(problem: string): RequestError {
  const remedy = 'Install an extension that provides one, such as GitHub Copilot Chat, and sign in to it.';
  return new RequestError('no_model', `${problem} ${remedy}`);
}

async function send(
  model: vscode.LanguageModelChat,
  messages: vscode.LanguageModelChatMessage[],
  who: string,
  signal: AbortSignal,
  onPart: ((text: string) => void) | undefined,
): Promise<string> {
  const cancellation = new vscode.CancellationTokenSource();
  const cancel = () => cancellation.cancel();
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  const parts: string[] = [];
  try {
    const options = { justification: `${who} asks it through the Fairlead bridge.` };
    const answer = await model.sendRequest(messages, options, cancellation.token);
    for await (const part of answer.text) {
      if (signal.aborted) break;
      parts.push(part);
      onPart?.(part);
    }
    return parts.join('');
  } catch (error) {
    throw chatError(error);
  } finally {
    signal.removeEventListener('abort', cancel);
    cancellation.dispose();
  }
}

function asModelMessage({ role, content }: ChatMessage): vscode.LanguageModelChatMessage {
  return role === 'user'
    ? vscode.LanguageModelChatMessage.User(content)
    : vscode.LanguageModelChatMessage.Assistant(content);
}
