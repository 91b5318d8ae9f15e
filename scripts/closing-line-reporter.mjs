/** Ends a run with one plain line, and fails it where skipping is forbidden and something was skipped. */
export default class ClosingLineReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state) => tests.filter((test) => test.result().state === state).length;
    const brokenModules = modules.filter((module) => module.errors().length > 0).length;
    const failed = count('failed') + brokenModules + unhandledErrors.length;
    const skipped = tests.filter((test) => test.result().state === 'skipped');
    this.forbiddenSkips = process.env.FAIRLEAD_NO_SKIP === '1' ? skipped : [];
    this.closingLine = `${count('passed')} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`;
    if (this.forbiddenSkips.length > 0) process.exitCode = 1;
    // Vitest prints its own summary in the same event; the plain line comes after it.
    setImmediate(() => this.print());
  }

  print() {
    for (const test of this.forbiddenSkips) {
      console.log(`skipped, and --no-skip is set: ${test.module.relativeModuleId}: ${test.fullName}`);
    }
    console.log(this.closingLine);
  }
}
