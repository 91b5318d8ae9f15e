/** What an agent is told where VS Code's shell integration tells less than a terminal of our own. */
export const integrationTexts = {
  fallback: (reason: string) =>
    `[Commands run by VS Code's shell integration in this window, because ${reason}. An exit code of -1 means that it was not observed.]\n`,

  notReported: '\n[The command has ended, but the shell did not report its exit code: it is unknown.]',

  notWhole: '\n[VS Code may not have handed out all that the command printed.]',

  neverBegan:
    '\n[VS Code did not report that the command began: whether it ran, what it printed and its exit code are unknown.]',

  lostSight:
    '\n[Something else was started in the terminal: whether the command completed, and its exit code, are unknown.]',

  notObserved:
    '\n[The command was typed into a terminal whose shell reports nothing to VS Code: whether it has completed, what it printed and its exit code are unknown.]',

  interruptedPrompt: '\n[CTRL+C was sent to the shell, where nothing was running.]',

  terminalEnded: (directory: string) =>
    `\n[The terminal ended with this command, and an exit code of -1 is unknown; the next command starts a new one in ${directory}. Variables, functions and shell options are gone.]`,
};
