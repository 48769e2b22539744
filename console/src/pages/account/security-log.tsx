import { Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { securityEvents } from '../../api/account.js';
import { itemsOf } from '../../api/pages.js';
import { Detail } from '../../parts/detail.js';
import { Listed, More } from '../../parts/listed.js';
import { Moment } from '../../parts/moment.js';
import { PageHead } from '../../parts/page-head.js';
import { Cell, Rows } from '../../parts/rows.js';
import { programOf, wordsOf } from '../../parts/words.js';

export function SecurityLogPage() {
  const query = useInfiniteQuery(securityEvents);
  return (
    <Stack gap="lg">
      <PageHead
        title="Security log"
        guide="accounts"
        about="All actions on this account. You also get a mail about the important ones."
      />
      <Listed query={{ data: itemsOf(query.data), error: query.error }} empty={null}>
        {(items) => (
          <Rows label="Security log" columns={['When', 'What', 'Program', 'Address', 'Detail']} minWidth={820}>
            {items.map(({ id, created_at, type, user_agent, ip, detail }) => (
              <Table.Tr key={id}>
                <Cell column="When">
                  <Moment at={created_at} />
                </Cell>
                <Cell column="What">
                  <Text size="sm" fw={500}>
                    {wordsOf(type)}
                  </Text>
                </Cell>
                <Cell column="Program" title={user_agent ?? undefined}>
                  {programOf(user_agent)}
                </Cell>
                <Cell column="Address" className="numbers">
                  {ip ?? '–'}
                </Cell>
                <Cell column="Detail">
                  <Detail detail={detail} />
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
