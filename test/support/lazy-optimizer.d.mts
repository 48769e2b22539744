/** The option of Node that lets the optimizer wait so many times as long as usual. */
export function lazyOptimizer(times: number): string;
export const SHORT_LIFE: readonly string[];
