// Starts the bundled server where it runs alone, without the command that looks for sources. With what was compiled
// when the bundle was made it starts in two thirds of the time; Node's own cache would be of use to one user id alone.
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { constants, Script } = require('node:vm');

const filename = join(__dirname, 'main.cjs');
const script = new Script(
  `(function (exports, require, module, __filename, __dirname) {${readFileSync(filename, 'latin1')}\n})`,
  { filename, cachedData: compiled(), importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
);
const bundled = { exports: {} };
script.runInThisContext()(bundled.exports, require, bundled, filename, __dirname);
const { main, version } = bundled.exports;

const [option, path] = process.argv.slice(2, 4);
const isCompiling = option === '--compile-to';
void main(process.argv.slice(isCompiling ? 4 : 2), process.env, version).then((code) => {
  if (isCompiling) writeFileSync(path, script.createCachedData());
  process.exit(code);
});

/** What does not fit this Node is ignored. */
function compiled() {
  try {
    return readFileSync(join(__dirname, 'main.compiled'));
  } catch {
    return undefined;
  }
}
