export { Editor } from './editor.ts';
