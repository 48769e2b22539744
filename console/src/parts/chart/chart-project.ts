import { createContext } from 'react';

/** The project whose charts the page shows. */
interface ChartProject {
  readonly id: string;
  /** Begins the names of files. */
  readonly slug: string;
  /** Patterns of the events that are marked on time axes. */
  readonly annotationEvents: readonly string[];
}

export const CurrentChartProject = createContext<ChartProject | null>(null);
