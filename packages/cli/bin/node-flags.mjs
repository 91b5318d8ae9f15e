/** How the command's Node should be started: quiet about what is new in it, and small. */
export const nodeFlags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=2'];
