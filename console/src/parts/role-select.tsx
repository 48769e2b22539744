import { Badge, Select, Tooltip } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation } from '@tanstack/react-query';
import { ASSIGNABLE, type AssignableRole } from '../api/organization.js';
import { sentenceOf } from './failures.js';
import { wordsOf } from './words.js';

interface Props {
  /** The name of the member. */
  readonly name: string;
  readonly role: Schemas['Role'];
  /** Why the caller cannot change the role; undefined when they can. */
  readonly refusal: string | undefined;
  /** Whether the caller may make members admins. */
  readonly mayMakeAdmins: boolean;
  /** Changes the role and refetches what has changed. */
  readonly change: (role: AssignableRole) => Promise<unknown>;
}

/** A select that changes a role at once. Selecting another role reverts it. */
export function RoleSelect({ name, role, refusal, mayMakeAdmins, change }: Props) {
  const changing = useMutation({ mutationFn: change });
  if (refusal !== undefined || role === 'owner') {
    return (
      <Tooltip label={refusal} disabled={refusal === undefined}>
        <Badge variant="light" color="gray" tabIndex={refusal === undefined ? -1 : 0}>
          {wordsOf(role)}
        </Badge>
      </Tooltip>
    );
  }
  return (
    <Select
      aria-label={`Role of ${name}`}
      size="xs"
      w={130}
      data={ASSIGNABLE.map((each) => ({ ...each, disabled: each.value === 'admin' && !mayMakeAdmins }))}
      value={changing.isPending ? changing.variables : role}
      disabled={changing.isPending}
      error={changing.error === null ? undefined : sentenceOf(changing.error)}
      allowDeselect={false}
      onChange={(value) => {
        if (value !== null && value !== role) changing.mutate(value);
      }}
    />
  );
}
