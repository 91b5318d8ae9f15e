/**
 * How the server's Node should be started. A small young generation is collected often: the terminal's many short
 * lived buffers would otherwise pile up to some 50 MB before anybody looks. The command's first line says the same.
 */
export const nodeFlags = ['--max-semi-space-size=4'];
