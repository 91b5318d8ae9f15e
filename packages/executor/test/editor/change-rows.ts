import { type Row, tenLines } from './row.ts';

const review = 'Review the changes and make sure they are as expected';

export const changeRows: Row[] = [
  {
    what: 'str_replace',
    command: 'str_replace',
    file: tenLines,
    args: { old_str: 'six', new_str: '6\n6' },
    content: `The file {p} has been edited. Here's the result of running \`cat -n\` on a snippet of {p}:\n     3\tthree\n     4\tfour\n     5\tfive\n     6\t6\n     7\t6\n     8\tseven\n     9\teight\n    10\tnine\n    11\tten\n    12\t\n${review}. Edit the file again if necessary.`,
    diff: '--- {p}\n+++ {p}\n@@ -6 +6,2 @@\n-six\n+6\n+6',
    after: tenLines.replace('six', '6\n6'),
  },
  {
    what: 'str_replace without new_str deletes',
    command: 'str_replace',
    file: 'ab',
    args: { old_str: 'a' },
    content: `The file {p} has been edited. Here's the result of running \`cat -n\` on a snippet of {p}:\n     1\tb\n${review}. Edit the file again if necessary.`,
    diff: '--- {p}\n+++ {p}\n@@ -1 +1 @@\n-ab\n+b',
    after: 'b',
  },
  {
    what: 'str_replace with white space around the text',
    command: 'str_replace',
    file: 'a two b',
    args: { old_str: '\ntwo\n', new_str: ' 2 ' },
    content: `The file {p} has been edited. Here's the result of running \`cat -n\` on a snippet of {p}:\n     1\ta 2 b\n${review}. Edit the file again if necessary.`,
    diff: '--- {p}\n+++ {p}\n@@ -1 +1 @@\n-a two b\n+a 2 b',
    after: 'a 2 b',
  },
  {
    what: 'str_replace of a text that is not there',
    command: 'str_replace',
    file: 'x',
    args: { old_str: ' nope ', new_str: 'y' },
    content: 'ERROR:\nNo replacement was performed, old_str `nope` did not appear verbatim in {p}.',
    after: 'x',
  },
  {
    what: 'str_replace of a text that is there often',
    command: 'str_replace',
    file: 'a a\nb\n\na',
    args: { old_str: 'a', new_str: 'y' },
    content:
      'ERROR:\nNo replacement was performed. Multiple occurrences of old_str `a` in lines [1, 4]. Please ensure it is unique.',
    after: 'a a\nb\n\na',
  },
  {
    what: 'str_replace of nothing',
    command: 'str_replace',
    file: 'a\nb',
    args: { old_str: '', new_str: 'y' },
    content:
      'ERROR:\nNo replacement was performed. Multiple occurrences of old_str `` in lines [1, 2]. Please ensure it is unique.',
  },
  {
    what: 'str_replace with itself',
    command: 'str_replace',
    file: 'a',
    args: { old_str: 'a', new_str: 'a' },
    content:
      'ERROR:\nInvalid `new_str` parameter: a. No replacement was performed. `new_str` and `old_str` must be different.',
  },
  {
    what: 'str_replace without old_str',
    command: 'str_replace',
    file: 'a',
    content: 'ERROR:\nParameter `old_str` is required for command: str_replace.',
  },
  {
    what: 'insert',
    command: 'insert',
    file: tenLines,
    args: { insert_line: 6, new_str: 'new' },
    content: `The file {p} has been edited. Here's the result of running \`cat -n\` on a snippet of the edited file:\n     3\tthree\n     4\tfour\n     5\tfive\n     6\tsix\n     7\tnew\n     8\tseven\n     9\teight\n    10\tnine\n    11\tten\n    12\t\n${review} (correct indentation, no duplicate lines, etc). Edit the file again if necessary.`,
    diff: '--- {p}\n+++ {p}\n@@ -6,0 +7 @@\n+new',
    after: tenLines.replace('six\n', 'six\nnew\n'),
  },
  {
    what: 'insert at the start, the line given as text',
    command: 'insert',
    file: '',
    args: { insert_line: ' 0 ', new_str: 'a' },
    content: `The file {p} has been edited. Here's the result of running \`cat -n\` on a snippet of the edited file:\n     1\ta\n     2\t\n${review} (correct indentation, no duplicate lines, etc). Edit the file again if necessary.`,
    diff: '--- {p}\n+++ {p}\n@@ -0,0 +1 @@\n+a',
    after: 'a\n',
  },
  {
    what: 'insert after a last line without a line end',
    command: 'insert',
    file: 'a',
    args: { insert_line: 1, new_str: 'b' },
    content: `The file {p} has been edited. Here's the result of running \`cat -n\` on a snippet of the edited file:\n     1\ta\n     2\tb\n     3\t\n${review} (correct indentation, no duplicate lines, etc). Edit the file again if necessary.`,
    diff: '--- {p}\n+++ {p}\n@@ -1,0 +2,2 @@\n+b\n+',
    after: 'a\nb\n',
  },
  {
    what: 'insert past the end',
    command: 'insert',
    file: 'a\nb\n',
    args: { insert_line: 3, new_str: 'x' },
    content:
      'ERROR:\nInvalid `insert_line` parameter: 3. It should be within the range of allowed values: [0, 2]',
  },
  {
    what: 'insert before the start',
    command: 'insert',
    file: 'a\nb',
    args: { insert_line: -1, new_str: 'x' },
    content:
      'ERROR:\nInvalid `insert_line` parameter: -1. It should be within the range of allowed values: [0, 2]',
  },
  {
    what: 'insert without a line',
    command: 'insert',
    file: 'a',
    args: { new_str: 'x' },
    content: 'ERROR:\nParameter `insert_line` is required for command: insert.',
  },
  {
    what: 'insert without text',
    command: 'insert',
    file: 'a',
    args: { insert_line: 0 },
    content: 'ERROR:\nParameter `new_str` is required for command: insert.',
  },
  {
    what: 'insert at a line that is no number',
    command: 'insert',
    args: { insert_line: 'abc', new_str: 'x' },
    content: "ERROR:\nInvalid insert_line value: 'abc'. Expected an integer.",
  },
];
