/**
 * Which VS Code commands an agent may ask for. `*` in a pattern stands for any characters. Commands with which an agent
 * could give itself permission are never among them, whatever the patterns say.
 */
export function isCommandAllowed(patterns: readonly string[], command: string): boolean {
  if (ownPermission.test(command)) return false;
  return patterns.some((pattern) => asExpression(pattern).test(command));
}

const ownPermission = /^_|^fairlead\.|^workbench\.trust\.|^workbench\.action\.manageTrust/i;

function asExpression(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`);
}
