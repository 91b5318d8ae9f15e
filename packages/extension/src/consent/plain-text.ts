/**
 * An agent's text for a place where VS Code makes links of `[text](command:…)`, and where invisible characters could
 * show another command than the one that runs.
 */
export function plainText(text: string): string {
  return text
    .replaceAll(/\r?\n/g, ' ⏎ ')
    .replaceAll(misleading, (character) => {
      const code = character.codePointAt(0) ?? 0;
      return String.raw`\u` + code.toString(16).padStart(4, '0');
    })
    .replaceAll('](', ']\u200b(');
}

/** Whether a text can be shown whole in a notification, so that nobody agrees to what they cannot see. */
export function fitsNotification(text: string): boolean {
  return text.length <= 200 && text.trim().split('\n').length <= 3;
}

// Control characters, zero-width characters and marks that reverse the direction of what follows.
// oxlint-disable-next-line no-control-regex
const misleading =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
