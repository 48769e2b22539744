import { Group, Stack } from '@mantine/core';
import { Chip } from '../../parts/chip.js';
import { LinkAnchor } from '../../parts/links.js';
import { PageHead } from '../../parts/page-head.js';
import { Section } from '../../parts/section.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { conditionOf, type PartProps, type Subject } from './part-props.js';
import { EventsLink } from '../../parts/events-link.js';
import { FailureRows } from './failure-rows.js';
import { Figures } from './figures.js';
import { OverTime } from './over-time.js';
import { Kept } from './kept.js';
import { SlowestRows } from './slowest-rows.js';

interface Props extends PartProps {
  readonly subject: Subject;
}

const ABOUT = {
  route: 'A route has the requests of all its endpoints: paths that differ only in numbers and ids.',
  endpoint: 'An endpoint has the requests with exactly this path.',
} as const;

/** The page of one route or endpoint. */
export function OneSubject({ subject: { by, name, method }, ...part }: Props) {
  const { organization, project } = useCurrentProject();
  const { search, set } = part;
  return (
    <Stack gap="md">
      <LinkAnchor
        to="/o/$organization/p/$project/performance"
        params={{ organization: organization.slug, project: project.slug }}
        search={{ ...search, route: undefined, endpoint: undefined, method: undefined, shown: undefined }}
        size="sm"
      >
        <span aria-hidden="true">← </span>Performance
      </LinkAnchor>
      <PageHead title={method === undefined ? name : `${method} ${name}`} about={ABOUT[by]}>
        <Kept search={search} />
        <EventsLink search={{ where: conditionOf(search) }}>All its events</EventsLink>
      </PageHead>
      {search.where !== undefined && (
        <Group>
          <Chip onClear={() => set({ where: undefined })}>Filter: {search.where}</Chip>
        </Group>
      )}
      <Figures {...part} />
      <OverTime {...part} />
      <Section
        title="Failures"
        acts={<EventsLink search={{ where: conditionOf(search, 'log.status >= 400') }}>Failed events</EventsLink>}
      >
        <FailureRows {...part} />
      </Section>
      <Section title="Slowest events">
        <SlowestRows {...part} limit={20} />
      </Section>
    </Stack>
  );
}
