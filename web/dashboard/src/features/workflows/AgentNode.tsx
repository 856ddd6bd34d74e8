import { Tooltip } from '@mantine/core';
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { CircleAlert, LogIn, LogOut, SkipForward } from 'lucide-react';
import { workflowTexts } from './texts';

const t = workflowTexts;

export type AgentNodeType = Node<
  { title: string; id: string; isEntry: boolean; isExit: boolean; skip: boolean; faults: string[]; live: number },
  'agent'
>;

/** AgentNode draws a node with its marks, its faults and the calls that are with its agent. */
export function AgentNode({ data, selected, isConnectable }: NodeProps<AgentNodeType>) {
  const { title, id, isEntry, isExit, skip, faults, live } = data;
  return (
    <div
      className={`flow-node${selected ? ' selected' : ''}${faults.length > 0 ? ' faulty' : ''}${live > 0 ? ' live' : ''}`}
    >
      <Handle type="target" position={Position.Left} isConnectable={isConnectable} />
      <div className="flow-head">
        <span className="grow one-line">{title}</span>
        {live > 0 && (
          <span className="flow-live" role="status">
            <span className="dot active" />
            {t.live(live)}
          </span>
        )}
        {faults.length > 0 && (
          <Tooltip label={faults.join(' ')} multiline maw={280} withArrow>
            <span
              role="img"
              aria-label={faults.join(' ')}
              style={{ display: 'inline-flex', color: 'var(--mantine-color-error)' }}
            >
              <CircleAlert size={16} />
            </span>
          </Tooltip>
        )}
      </div>
      <div className="flow-marks">
        <span className="one-line">{id}</span>
        {isEntry && (
          <span className="mark entry">
            <LogIn size={11} aria-hidden /> {t.entry}
          </span>
        )}
        {isExit && (
          <span className="mark">
            <LogOut size={11} aria-hidden /> {t.exit}
          </span>
        )}
        {skip && (
          <span className="mark">
            <SkipForward size={11} aria-hidden /> {t.skipped}
          </span>
        )}
      </div>
      <Handle type="source" position={Position.Right} isConnectable={isConnectable} />
    </div>
  );
}
