import type { Row } from './row.ts';

export const createRows: Row[] = [
  {
    what: 'create',
    command: 'create',
    args: { file_text: 'one\ntwo\nthree\n' },
    content: 'File created successfully at: {p}',
    diff: '--- {p}\n+++ {p}\n@@ -0,0 +1,3 @@\n+one\n+two\n+three',
    after: 'one\ntwo\nthree\n',
  },
  {
    what: 'create without its directory',
    command: 'create',
    path: '{d}/no/such',
    args: { file_text: 'x' },
    content: "ERROR:\nRan into [Errno 2] No such file or directory: '{p}' while trying to write to {p}",
  },
  {
    what: 'create below a file',
    command: 'create',
    path: '{d}/plain/x',
    args: { file_text: 'x' },
    content: "ERROR:\nRan into [Errno 20] Not a directory: '{p}' while trying to write to {p}",
  },
  {
    what: 'create of a file that exists',
    command: 'create',
    file: 'x',
    args: { file_text: 'y' },
    content:
      'ERROR:\nInvalid `path` parameter: {p}. File already exists at: {p}. Cannot overwrite files using command `create`.',
    after: 'x',
  },
  {
    what: 'create without text',
    command: 'create',
    content: 'ERROR:\nParameter `file_text` is required for command: create.',
  },
  {
    what: 'create with half a surrogate pair',
    command: 'create',
    args: { file_text: 'x\ud800' },
    content:
      'ERROR:\n{p} is utf-8 text, which cannot express U+D800; nothing was written. Leave it out: half a surrogate pair is not a character.',
  },
];

export const refusalRows: Row[] = [
  {
    what: 'undo without history',
    command: 'undo_edit',
    file: 'a',
    content: 'ERROR:\nNo edit history found for {p}.',
  },
  {
    what: 'a relative path',
    command: 'view',
    path: 'nowhere',
    content:
      'ERROR:\nInvalid `path` parameter: nowhere. The path should be an absolute path, starting with `/`.',
  },
  {
    what: 'a relative path to something',
    command: 'view',
    path: 'plain',
    content:
      'ERROR:\nInvalid `path` parameter: plain. The path should be an absolute path, starting with `/`. Maybe you meant {d}/plain?',
  },
  {
    what: 'a missing path',
    command: 'str_replace',
    content:
      'ERROR:\nInvalid `path` parameter: {p}. The path {p} does not exist. Please provide a valid path.',
  },
  {
    what: 'a directory',
    command: 'insert',
    path: '{d}',
    content:
      'ERROR:\nInvalid `path` parameter: {d}. The path {d} is a directory and only the `view` command can be used on directories.',
  },
  {
    what: 'an office file',
    command: 'create',
    path: '{d}/a.Xlsx',
    args: { file_text: 'x' },
    content:
      'ERROR:\nInvalid `path` parameter: {p}. The path {p} points to a binary file (.Xlsx) and only the `view` command can be used on supported binary files.',
  },
  {
    what: 'a binary file',
    command: 'str_replace',
    file: new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]),
    args: { old_str: 'E' },
    content:
      'ERROR:\nFile validation failed for {p}: File appears to be binary and this file type cannot be read or edited by this tool.',
  },
  {
    what: 'an unknown command',
    command: 'frob',
    file: 'x',
    content:
      'ERROR:\nUnrecognized command frob. The allowed commands for the oh_editor tool are: view, create, str_replace, insert, undo_edit',
  },
];
