// The environment of spec files that run against a deployment (TEST_BASE_URL). A test that needs what the deployment does not
// offer throws `LeftOut` (left-out.ts), and is skipped with the reason behind its title.
const { TestEnvironment } = require('jest-environment-node');

module.exports = class DeploymentEnvironment extends TestEnvironment {
  handleTestEvent({ name, test }) {
    if (name !== 'test_done') return;
    const reason = test.errors.flat().find((error) => error?.name === 'LeftOut')?.message;
    if (reason === undefined) return;
    test.errors.length = 0;
    test.status = 'skip';
    test.name += `: ${reason}`;
  }
};
