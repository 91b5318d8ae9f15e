import { pathToFileURL } from 'node:url';
import type { EditorPosition, EditorRange, VscodeValue } from '@fairlead/protocol';

/** VS Code's own objects in arguments of commands; in results they have the same form, told apart by `$type`. */
export const vscodeValues = {
  uri: (value: string): VscodeValue => ({ $type: 'Uri', value }),
  file: (path: string): VscodeValue => ({ $type: 'Uri', value: pathToFileURL(path).href }),
  position: (line: number, character: number): VscodeValue => ({ $type: 'Position', line, character }),
  range: (start: EditorPosition, end: EditorPosition): VscodeValue => ({ $type: 'Range', start, end }),
  /** `active` is where the cursor is. */
  selection: (anchor: EditorPosition, active: EditorPosition): VscodeValue => ({
    $type: 'Selection',
    anchor,
    active,
  }),
  location: (uri: string, range: EditorRange): VscodeValue => ({ $type: 'Location', uri, range }),
};
