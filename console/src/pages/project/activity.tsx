import { Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { activity } from '../../api/owning.js';
import { useNames } from '../../api/organization.js';
import { itemsOf } from '../../api/pages.js';
import { Detail } from '../../parts/detail.js';
import { Listed, More } from '../../parts/listed.js';
import { Moment } from '../../parts/moment.js';
import { PageHead } from '../../parts/page-head.js';
import { Cell, Empty, Rows } from '../../parts/rows.js';
import { wordsOf } from '../../parts/words.js';
import { useCurrentProject } from '../../shell/current-project.js';

export function ActivityPage() {
  const { organization, project } = useCurrentProject();
  const query = useInfiniteQuery(activity(project.id));
  const nameOf = useNames(organization.id);
  return (
    <Stack gap="lg">
      <PageHead
        title="Activity"
        guide="organizations-and-projects#health-and-activity"
        about="Who changed what in this project, and in which request."
      />
      <Listed
        query={{ data: itemsOf(query.data), error: query.error }}
        empty={
          <Empty title="Nothing yet" about="Changes to the project, its keys, secrets and members are kept here." />
        }
      >
        {(items) => (
          <Rows label="Activity" columns={['When', 'Who', 'What', 'Detail', 'Request']} minWidth={860}>
            {items.map((each) => (
              <Table.Tr key={each.id}>
                <Cell column="When">
                  <Moment at={each.created_at} />
                </Cell>
                <Cell column="Who">{nameOf(each.actor_user_id)}</Cell>
                <Cell column="What">
                  <Text size="sm" fw={500}>
                    {wordsOf(each.action)}
                  </Text>
                </Cell>
                <Cell column="Detail">
                  <Detail detail={each.detail} />
                </Cell>
                <Cell column="Request" ff="monospace" fz="xs">
                  {each.request_id ?? '–'}
                </Cell>
              </Table.Tr>
            ))}
          </Rows>
        )}
      </Listed>
      <More query={query} />
    </Stack>
  );
}
