import { Alert, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { billingStatus } from '../api/organization.js';
import { LinkAnchor } from '../parts/links.js';
import { useCurrentProject } from './current-project.js';

/** Warns the members of an organization that has used 80 % or all of the month. */
export function QuotaBanner() {
  const { organization, project } = useCurrentProject();
  const { data: status } = useQuery(billingStatus(organization.id));
  if (status === undefined) return null;
  const isUsedUp = status.block_reason === 'limit_exceeded' || status.block_reason === 'request_limit_exceeded';
  if (!isUsedUp && !status.is_near_limit) return null;
  const quota = status.block_reason === 'request_limit_exceeded' ? 'requests' : 'events';
  return (
    <Alert color={isUsedUp ? 'red' : 'yellow'} variant="light" mb="md" role="status">
      <Group gap="sm">
        <span>
          {isUsedUp
            ? `${organization.name} has used up the ${quota} of the month. New events are refused.`
            : `${organization.name} has used more than 80 % of the events of the month.`}
        </span>
        <LinkAnchor
          to="/o/$organization/p/$project/organization/billing"
          params={{ organization: organization.slug, project: project.slug }}
        >
          Usage and plan
        </LinkAnchor>
      </Group>
    </Alert>
  );
}
