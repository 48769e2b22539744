import { Text } from '@mantine/core';
import { LinkAnchor } from '../../parts/links.js';
import type { PerformanceSearch } from '../../routes/insight.js';
import { useCurrentProject } from '../../shell/current-project.js';

interface Props {
  readonly search: PerformanceSearch;
  readonly by: 'route' | 'endpoint';
  /** Null: an item that combines the rarest endpoints of an hour. */
  readonly method: string | null;
  readonly name: string | null;
}

/** Links to the page of a route or an endpoint. The address keeps the list, so that the way back leads to it. */
export function SubjectLink({ search, by, method, name }: Props) {
  const { organization, project } = useCurrentProject();
  if (method === null || name === null) {
    return (
      <Text size="sm" c="dimmed">
        Rarest endpoints, combined
      </Text>
    );
  }
  return (
    <LinkAnchor
      to="/o/$organization/p/$project/performance"
      params={{ organization: organization.slug, project: project.slug }}
      search={{ ...search, route: undefined, endpoint: undefined, [by]: name, method }}
      size="sm"
      ff="monospace"
    >
      {method} {name}
    </LinkAnchor>
  );
}
