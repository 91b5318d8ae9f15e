import { type Row, tenLines } from './row.ts';

export const viewRows: Row[] = [
  {
    what: 'view of a file that ends in a newline',
    command: 'view',
    file: 'a\nb\n',
    content: "Here's the result of running `cat -n` on {p}:\n     1\ta\n     2\tb\n     3\t\n",
  },
  {
    what: 'view of an empty file',
    command: 'view',
    file: '',
    content: "Here's the result of running `cat -n` on {p}:\n     1\t\n",
  },
  {
    what: 'view of a range',
    command: 'view',
    file: tenLines,
    args: { view_range: [9, -1] },
    content: "Here's the result of running `cat -n` on {p}:\n     9\tnine\n    10\tten\n",
  },
  {
    what: 'view past the end',
    command: 'view',
    file: 'a\nb',
    args: { view_range: [2, 7] },
    content:
      "NOTE: We only show up to 2 since there're only 2 lines in this file.\nHere's the result of running `cat -n` on {p}:\n     2\tb\n",
  },
  ...(
    [
      [[1], 'It should be a list of two integers.', '[1]'],
      [[1, 'x'], 'It should be a list of two integers.', "[1, 'x']"],
      [[null, true], 'It should be a list of two integers.', '[None, True]'],
      [[0, 1], 'Its first element `0` should be within the range of lines of the file: [1, 10].', '[0, 1]'],
      [
        [11, -1],
        'Its first element `11` should be within the range of lines of the file: [1, 10].',
        '[11, -1]',
      ],
      [[5, 2], 'Its second element `2` should be greater than or equal to the first element `5`.', '[5, 2]'],
    ] as const
  ).map(([range, hint, shown]) => ({
    what: `view with the range ${shown}`,
    command: 'view',
    file: tenLines,
    args: { view_range: [...range] },
    content: `ERROR:\nInvalid \`view_range\` parameter: ${shown}. ${hint}`,
  })),
  {
    what: 'view of a directory with a range',
    command: 'view',
    path: '{d}',
    args: { view_range: [1, 2] },
    content:
      'ERROR:\nInvalid `view_range` parameter: [1, 2]. The `view_range` parameter is not allowed when `path` points to a directory.',
  },
  {
    what: 'view of an office file',
    command: 'view',
    path: '{d}/a.docx',
    file: 'x',
    content:
      'ERROR:\nError in converting file to Markdown: this runtime has no converter. Please use Python code to read {p}',
  },
  {
    what: 'view of text longer than the limit',
    command: 'view',
    file: 'x'.repeat(16_001),
    content: `Here's the result of running \`cat -n\` on {p}:\n     1\t${'x'.repeat(16_000)}<response clipped><NOTE>Due to the max output limit, only part of this file has been shown to you. You should retry this tool after you have searched inside the file with \`grep -n\` in order to find the line numbers of what you are looking for.</NOTE>\n`,
  },
  {
    what: 'view of text exactly as long as the limit, counted in characters',
    command: 'view',
    file: '😀'.repeat(16_000),
    content: `Here's the result of running \`cat -n\` on {p}:\n     1\t${'😀'.repeat(16_000)}\n`,
  },
];
