import { BaseEdge, type EdgeProps, useNodes } from '@xyflow/react';
import { size } from './layout';
import { routed } from './route';

/** RoutedEdge draws a connection that passes behind no node. */
export function RoutedEdge(edge: EdgeProps) {
  const boxes = useNodes()
    .filter((n) => n.id !== edge.source && n.id !== edge.target)
    .map((n) => ({
      ...n.position,
      width: n.measured?.width ?? size.width,
      height: n.measured?.height ?? size.height,
    }));
  const { path, middle } = routed({ x: edge.sourceX, y: edge.sourceY }, { x: edge.targetX, y: edge.targetY }, boxes);
  return (
    <BaseEdge
      id={edge.id}
      path={path}
      labelX={middle.x}
      labelY={middle.y}
      label={edge.label}
      labelBgPadding={edge.labelBgPadding}
      labelBgBorderRadius={edge.labelBgBorderRadius}
      markerEnd={edge.markerEnd}
      interactionWidth={edge.interactionWidth}
    />
  );
}
