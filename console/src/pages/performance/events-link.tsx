import type { ReactNode } from 'react';
import { LinkAnchor } from '../../parts/links.js';
import { useCurrentProject } from '../../shell/current-project.js';

interface Props {
  /** A condition in EQL. */
  readonly where: string | undefined;
  readonly children: ReactNode;
}

/** Links to the events of the time range that a condition selects. */
export function EventsLink({ where, children }: Props) {
  const { organization, project } = useCurrentProject();
  return (
    <LinkAnchor
      to="/o/$organization/p/$project/logs"
      params={{ organization: organization.slug, project: project.slug }}
      search={{ where }}
      size="sm"
    >
      {children}
    </LinkAnchor>
  );
}
