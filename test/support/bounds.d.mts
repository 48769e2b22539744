export const HANG_TIMEOUT_MS: number;
export const TEST_TIMEOUT_MS: number;
