export { type Answer, isAnswerTo, type QuestionKind, questionKindOf } from './ask.ts';
export type { ModelSelector } from './chat.ts';
export * from './decode-request.ts';
export {
  type EditorLocation,
  type EditorPosition,
  type EditorRange,
  vscodeValue,
  type VscodeValue,
} from './json-forms.ts';
export type { RequestCapability } from './request.ts';
export * from './request-types.ts';
export type { EditorSymbol } from './symbols.ts';
export * from './table.ts';
export type { EditorDiagnostic } from './diagnostics.ts';
