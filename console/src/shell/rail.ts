import { useLocalStorage, useMediaQuery } from '@mantine/hooks';

/** The navigation is beside the page only from this width on. */
const WIDE = '(min-width: 48em)';

interface Rail {
  /** Whether the navigation shows only icons. */
  readonly isRail: boolean;
  /** Undefined on a narrow screen, where the navigation covers the page. */
  readonly toggle: (() => void) | undefined;
}

/** Whether the navigation is a rail. The browser remembers it. */
export function useRail(): Rail {
  const [isWanted, setIsWanted] = useLocalStorage({
    key: 'console-rail',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const isWide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  return { isRail: isWanted && isWide, toggle: isWide ? () => setIsWanted(!isWanted) : undefined };
}
