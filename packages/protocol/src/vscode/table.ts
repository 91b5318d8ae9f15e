import type { z } from 'zod';
import { ask } from './ask.ts';
import { chat } from './chat.ts';
import { definition } from './definition.ts';
import { diagnostics } from './diagnostics.ts';
import { executeCommand } from './execute-command.ts';
import { getChatHistory } from './get-chat-history.ts';
import { openEditors } from './open-editors.ts';
import { openFile } from './open-file.ts';
import { progress } from './progress.ts';
import { references } from './references.ts';
import { rename } from './rename.ts';
import type { EditorRequestContract } from './request.ts';
import type { EditorRequestType } from './request-types.ts';
import { showDiff } from './show-diff.ts';
import { showMessage } from './show-message.ts';
import { symbols } from './symbols.ts';

/** The one table of what can be asked of an editor; handlers, clients and documentation follow from it. */
export const editorRequests = {
  [openFile.type]: openFile,
  [showDiff.type]: showDiff,
  [diagnostics.type]: diagnostics,
  [symbols.type]: symbols,
  [definition.type]: definition,
  [references.type]: references,
  [rename.type]: rename,
  [openEditors.type]: openEditors,
  [showMessage.type]: showMessage,
  [ask.type]: ask,
  [executeCommand.type]: executeCommand,
  [progress.type]: progress,
  [chat.type]: chat,
  [getChatHistory.type]: getChatHistory,
} satisfies { [Type in EditorRequestType]: EditorRequestContract<Type, z.ZodType, z.ZodType> };

export type EditorParams<Type extends EditorRequestType> = z.output<(typeof editorRequests)[Type]['params']>;
/** As a client writes them: what has a default may be left out. */
export type EditorParamsInput<Type extends EditorRequestType> = z.input<
  (typeof editorRequests)[Type]['params']
>;
export type EditorResult<Type extends EditorRequestType> = z.output<(typeof editorRequests)[Type]['result']>;

export type EditorRequest = {
  [Type in EditorRequestType]: { type: Type; params: EditorParams<Type> };
}[EditorRequestType];
