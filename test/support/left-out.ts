/**
 * Thrown where a test needs something that the deployment at TEST_BASE_URL does not offer. The test is then skipped
 * with this reason; see `test-environment.cjs`.
 */
export class LeftOut extends Error {
  override readonly name = 'LeftOut';
}
