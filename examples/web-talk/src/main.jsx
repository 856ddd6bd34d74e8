import '@livekit/components-styles';
import { BarVisualizer, LiveKitRoom, RoomAudioRenderer, useLocalParticipant, useRoomContext, useTranscriptions, useVoiceAssistant, VoiceAssistantControlBar } from '@livekit/components-react';
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';
import './style.css';

function App() {
  const [call, setCall] = useState();
  const [problem, setProblem] = useState();
  const start = async (audio) => {
    setProblem(undefined);
    const response = await fetch('/call', { method: 'POST' });
    const answer = await response.json();
    if (response.ok) setCall({ ...answer, audio });
    else setProblem(answer.message ?? 'The call could not be started.');
  };
  if (!call) {
    return h('main', null,
      h('h1', null, 'Talk to an agent'),
      h('button', { className: 'lk-button', onClick: () => start(true) }, 'Start talking'),
      h('button', { className: 'lk-button', onClick: () => start(false) }, 'Write instead'),
      problem && h('p', { role: 'alert' }, problem));
  }
  return h(LiveKitRoom, { serverUrl: call.url, token: call.token, connect: true, audio: call.audio, onDisconnected: () => setCall(undefined) },
    h('main', null, h(Conversation)),
    h(RoomAudioRenderer));
}

/** Conversation shows what LiveKit's own components know of the agent: its state and its voice, and what both sides say. */
function Conversation() {
  const { state, audioTrack, agent } = useVoiceAssistant();
  const said = useTranscriptions();
  const { localParticipant } = useLocalParticipant();
  const room = useRoomContext();
  const [text, setText] = useState('');
  const send = (event) => {
    event.preventDefault();
    if (text.trim()) void room.localParticipant.sendText(text.trim(), { topic: 'lk.chat' });
    setText('');
  };
  const speaker = (identity) => (identity === localParticipant.identity ? 'You' : (agent?.attributes['parley.agent'] ?? 'Agent'));
  return h('div', null,
    h('p', { role: 'status' }, state),
    h(BarVisualizer, { state, track: audioTrack, barCount: 7, style: { height: 120 } }),
    h('div', { role: 'log', 'aria-label': 'Transcript', tabIndex: 0 },
      said.map((line) => h('p', { key: line.streamInfo.attributes['lk.segment_id'] ?? line.streamInfo.id },
        h('b', null, speaker(line.participantInfo.identity)), ' ', line.text))),
    h('form', { onSubmit: send },
      h('input', { className: 'lk-form-control', value: text, onChange: (e) => setText(e.target.value), 'aria-label': 'Write a message', placeholder: 'Write a message' })),
    h(VoiceAssistantControlBar, { controls: { leave: true, microphone: true } }));
}

createRoot(document.getElementById('root')).render(h(App));
