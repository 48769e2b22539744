import { it } from '@jest/globals';

type Work = () => Promise<void>;

/**
 * Returns an `it` for tests that continue where the one before ended. A test first runs those before it that have not run
 * yet, so each can run alone and in any order. When one fails, so do those after it.
 */
export function story(): (title: string, work: Work) => void {
  let latest: Work = () => Promise.resolve();
  return (title, work) => {
    const before = latest;
    let run: Promise<void> | undefined;
    latest = () => (run ??= before().then(work));
    it(title, latest);
  };
}
