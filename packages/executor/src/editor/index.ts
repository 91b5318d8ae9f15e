export { Editor } from './editor.ts';
export { changedLines } from './unified-diff.ts';
