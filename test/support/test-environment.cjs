// Jest's environment for Node, with four additions that hooks of a spec file cannot make.
const { TestEnvironment } = require('jest-environment-node');

/** When this time (milliseconds since 1970) is over, the tests of a further file are left out. */
const START_UNTIL = Number(process.env.TEST_START_UNTIL ?? Infinity);
const NO_TITLE = /(?!)/;

module.exports = class TestsOfTheService extends TestEnvironment {
  async setup() {
    await super.setup();
    const { documentValidators } = await import('./document-validators.mjs');
    this.global.documentValidators = documentValidators;
  }

  async handleTestEvent({ name, test }, state) {
    // As with "-t", the hooks of tests that are left out do not run either.
    if (name === 'run_start' && Date.now() > START_UNTIL) state.testNamePattern = NO_TITLE;
    // See failed-test.ts.
    if (name === 'test_fn_failure') await this.global.tellOfFailedTest?.();
    if (name === 'test_done') skipWhatIsLeftOut(test);
  }
};

/** A test that needs what a deployment (TEST_BASE_URL) does not offer throws `LeftOut` (left-out.ts). */
function skipWhatIsLeftOut(test) {
  const reason = test.errors.flat().map(reasonOf).find(Boolean);
  if (reason === undefined) return;
  test.errors.length = 0;
  test.status = 'skip';
  test.name += `: ${reason}`;
}

/** A property-based test fails with an error of its own, whose cause is that of the case. */
function reasonOf(error) {
  if (error?.name === 'LeftOut') return error.message;
  return error?.cause === undefined ? undefined : reasonOf(error.cause);
}
