// The environment of spec files that run against a deployment (TEST_BASE_URL). A test that needs what the deployment does not
// offer throws `LeftOut` (left-out.ts), and is skipped with the reason behind its title.
const { TestEnvironment } = require('jest-environment-node');

module.exports = class DeploymentEnvironment extends TestEnvironment {
  handleTestEvent({ name, test }) {
    if (name !== 'test_done') return;
    const reason = test.errors.flat().map(reasonOf).find(Boolean);
    if (reason === undefined) return;
    test.errors.length = 0;
    test.status = 'skip';
    test.name += `: ${reason}`;
  }
};

/** A property-based test fails with an error of its own, whose cause is that of the case. */
function reasonOf(error) {
  if (error?.name === 'LeftOut') return error.message;
  return error?.cause === undefined ? undefined : reasonOf(error.cause);
}
