import { useNavigate } from '@tanstack/react-router';
import { OPERATORS, useRefusal } from '../../../api/roles.js';
import { Act } from '../../../parts/act.js';
import { Icon } from '../../../parts/icons.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { type RuleQuestion, whyNoRule } from './from-question.js';

interface Props {
  /** Undefined: nothing is asked yet. */
  readonly question: RuleQuestion | undefined;
}

/** Opens the form of a new rule that watches what a question shows. */
export function CreateRule({ question }: Props) {
  const { organization, project } = useCurrentProject();
  const navigate = useNavigate();
  const refusal = useRefusal(project.id, OPERATORS);
  const why = question === undefined ? 'Run a query first' : whyNoRule(question);
  return (
    <Act
      variant="default"
      leftSection={<Icon name="bell" size={16} />}
      refusal={refusal ?? why}
      onAct={() =>
        void navigate({
          to: '/o/$organization/p/$project/alert-rules/$rule',
          params: { organization: organization.slug, project: project.slug, rule: 'new' },
          search: { question: JSON.stringify(question) },
        })
      }
    >
      Create alert rule
    </Act>
  );
}
