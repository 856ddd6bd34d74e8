import type { State, Trouble } from './call';

/** Texts are what a visitor reads, in one language. */
export interface Texts {
  open: string;
  title: string;
  close: string;
  start: string;
  end: string;
  mute: string;
  unmute: string;
  write: string;
  send: string;
  transcript: string;
  you: string;
  agent: string;
  consent: string;
  agree: string;
  decline: string;
  states: Record<State, string>;
  troubles: Record<Trouble, string>;
}

const en: Texts = {
  open: 'Talk to us',
  title: 'Conversation',
  close: 'Close',
  start: 'Start',
  end: 'End',
  mute: 'Mute microphone',
  unmute: 'Unmute microphone',
  write: 'Write a message',
  send: 'Send',
  transcript: 'Transcript',
  you: 'You',
  agent: 'Agent',
  consent: 'You talk to an automated agent. What you say is processed to answer you.',
  agree: 'Agree and start',
  decline: 'Not now',
  states: {
    idle: 'Ready',
    connecting: 'Connecting …',
    waiting: 'Waiting for the agent …',
    listening: 'Listening',
    thinking: 'Thinking …',
    speaking: 'Speaking',
    reconnecting: 'The connection was lost. Trying again …',
    ended: 'The conversation is over.',
  },
  troubles: {
    microphone: 'The microphone cannot be used. You can write instead.',
    refused: 'This page cannot start a conversation.',
    busy: 'All agents are busy. Please try again in a minute.',
    unavailable: 'The agent cannot be reached. Please try again later.',
    lost: 'The connection was lost.',
  },
};

const de: Texts = {
  open: 'Sprechen Sie mit uns',
  title: 'Gespräch',
  close: 'Schließen',
  start: 'Starten',
  end: 'Beenden',
  mute: 'Mikrofon stummschalten',
  unmute: 'Mikrofon einschalten',
  write: 'Nachricht schreiben',
  send: 'Senden',
  transcript: 'Gesprächsverlauf',
  you: 'Sie',
  agent: 'Agent',
  consent: 'Sie sprechen mit einem automatischen Agenten. Was Sie sagen, wird verarbeitet, um Ihnen zu antworten.',
  agree: 'Zustimmen und starten',
  decline: 'Nicht jetzt',
  states: {
    idle: 'Bereit',
    connecting: 'Verbindung wird aufgebaut …',
    waiting: 'Der Agent kommt gleich …',
    listening: 'Hört zu',
    thinking: 'Denkt nach …',
    speaking: 'Spricht',
    reconnecting: 'Die Verbindung ist abgebrochen. Neuer Versuch …',
    ended: 'Das Gespräch ist beendet.',
  },
  troubles: {
    microphone: 'Das Mikrofon kann nicht verwendet werden. Sie können stattdessen schreiben.',
    refused: 'Diese Seite kann kein Gespräch starten.',
    busy: 'Alle Agenten sind im Gespräch. Bitte versuchen Sie es in einer Minute noch einmal.',
    unavailable: 'Der Agent ist nicht erreichbar. Bitte versuchen Sie es später noch einmal.',
    lost: 'Die Verbindung ist abgebrochen.',
  },
};

const fr: Texts = {
  open: 'Parlez avec nous',
  title: 'Conversation',
  close: 'Fermer',
  start: 'Démarrer',
  end: 'Terminer',
  mute: 'Couper le micro',
  unmute: 'Activer le micro',
  write: 'Écrire un message',
  send: 'Envoyer',
  transcript: 'Transcription',
  you: 'Vous',
  agent: 'Agent',
  consent: 'Vous parlez avec un agent automatique. Vos paroles sont traitées pour vous répondre.',
  agree: 'Accepter et démarrer',
  decline: 'Pas maintenant',
  states: {
    idle: 'Prêt',
    connecting: 'Connexion …',
    waiting: 'En attente de l’agent …',
    listening: 'À l’écoute',
    thinking: 'Réflexion …',
    speaking: 'Parle',
    reconnecting: 'La connexion a été perdue. Nouvelle tentative …',
    ended: 'La conversation est terminée.',
  },
  troubles: {
    microphone: 'Le micro ne peut pas être utilisé. Vous pouvez écrire.',
    refused: 'Cette page ne peut pas démarrer de conversation.',
    busy: 'Tous les agents sont occupés. Veuillez réessayer dans une minute.',
    unavailable: 'L’agent est injoignable. Veuillez réessayer plus tard.',
    lost: 'La connexion a été perdue.',
  },
};

const es: Texts = {
  open: 'Hable con nosotros',
  title: 'Conversación',
  close: 'Cerrar',
  start: 'Empezar',
  end: 'Terminar',
  mute: 'Silenciar el micrófono',
  unmute: 'Activar el micrófono',
  write: 'Escriba un mensaje',
  send: 'Enviar',
  transcript: 'Transcripción',
  you: 'Usted',
  agent: 'Agente',
  consent: 'Va a hablar con un agente automático. Lo que diga se procesa para responderle.',
  agree: 'Aceptar y empezar',
  decline: 'Ahora no',
  states: {
    idle: 'Listo',
    connecting: 'Conectando …',
    waiting: 'Esperando al agente …',
    listening: 'Escuchando',
    thinking: 'Pensando …',
    speaking: 'Hablando',
    reconnecting: 'Se perdió la conexión. Intentando de nuevo …',
    ended: 'La conversación ha terminado.',
  },
  troubles: {
    microphone: 'No se puede usar el micrófono. Puede escribir.',
    refused: 'Esta página no puede empezar una conversación.',
    busy: 'Todos los agentes están ocupados. Inténtelo de nuevo en un minuto.',
    unavailable: 'No se puede contactar con el agente. Inténtelo más tarde.',
    lost: 'Se perdió la conexión.',
  },
};

const it: Texts = {
  open: 'Parla con noi',
  title: 'Conversazione',
  close: 'Chiudi',
  start: 'Inizia',
  end: 'Termina',
  mute: 'Disattiva il microfono',
  unmute: 'Attiva il microfono',
  write: 'Scrivi un messaggio',
  send: 'Invia',
  transcript: 'Trascrizione',
  you: 'Tu',
  agent: 'Agente',
  consent: 'Parli con un agente automatico. Quello che dici viene elaborato per risponderti.',
  agree: 'Accetta e inizia',
  decline: 'Non ora',
  states: {
    idle: 'Pronto',
    connecting: 'Connessione …',
    waiting: 'In attesa dell’agente …',
    listening: 'In ascolto',
    thinking: 'Sta pensando …',
    speaking: 'Sta parlando',
    reconnecting: 'La connessione è stata persa. Nuovo tentativo …',
    ended: 'La conversazione è terminata.',
  },
  troubles: {
    microphone: 'Il microfono non può essere usato. Puoi scrivere.',
    refused: 'Questa pagina non può iniziare una conversazione.',
    busy: 'Tutti gli agenti sono occupati. Riprova tra un minuto.',
    unavailable: 'L’agente non è raggiungibile. Riprova più tardi.',
    lost: 'La connessione è stata persa.',
  },
};

const pt: Texts = {
  open: 'Fale connosco',
  title: 'Conversa',
  close: 'Fechar',
  start: 'Iniciar',
  end: 'Terminar',
  mute: 'Silenciar o microfone',
  unmute: 'Ativar o microfone',
  write: 'Escreva uma mensagem',
  send: 'Enviar',
  transcript: 'Transcrição',
  you: 'Você',
  agent: 'Agente',
  consent: 'Vai falar com um agente automático. O que disser é processado para lhe responder.',
  agree: 'Aceitar e iniciar',
  decline: 'Agora não',
  states: {
    idle: 'Pronto',
    connecting: 'A ligar …',
    waiting: 'À espera do agente …',
    listening: 'A ouvir',
    thinking: 'A pensar …',
    speaking: 'A falar',
    reconnecting: 'A ligação caiu. A tentar de novo …',
    ended: 'A conversa terminou.',
  },
  troubles: {
    microphone: 'O microfone não pode ser usado. Pode escrever.',
    refused: 'Esta página não pode iniciar uma conversa.',
    busy: 'Todos os agentes estão ocupados. Tente de novo dentro de um minuto.',
    unavailable: 'Não é possível contactar o agente. Tente mais tarde.',
    lost: 'A ligação caiu.',
  },
};

const nl: Texts = {
  open: 'Praat met ons',
  title: 'Gesprek',
  close: 'Sluiten',
  start: 'Starten',
  end: 'Beëindigen',
  mute: 'Microfoon dempen',
  unmute: 'Microfoon aanzetten',
  write: 'Schrijf een bericht',
  send: 'Versturen',
  transcript: 'Transcript',
  you: 'U',
  agent: 'Agent',
  consent: 'U praat met een automatische agent. Wat u zegt wordt verwerkt om u te antwoorden.',
  agree: 'Akkoord en starten',
  decline: 'Niet nu',
  states: {
    idle: 'Klaar',
    connecting: 'Verbinden …',
    waiting: 'Wachten op de agent …',
    listening: 'Luistert',
    thinking: 'Denkt na …',
    speaking: 'Spreekt',
    reconnecting: 'De verbinding is verbroken. Nieuwe poging …',
    ended: 'Het gesprek is afgelopen.',
  },
  troubles: {
    microphone: 'De microfoon kan niet worden gebruikt. U kunt schrijven.',
    refused: 'Deze pagina kan geen gesprek starten.',
    busy: 'Alle agenten zijn bezet. Probeer het over een minuut opnieuw.',
    unavailable: 'De agent is niet bereikbaar. Probeer het later opnieuw.',
    lost: 'De verbinding is verbroken.',
  },
};

const hi: Texts = {
  open: 'हमसे बात करें',
  title: 'बातचीत',
  close: 'बंद करें',
  start: 'शुरू करें',
  end: 'समाप्त करें',
  mute: 'माइक्रोफ़ोन बंद करें',
  unmute: 'माइक्रोफ़ोन चालू करें',
  write: 'संदेश लिखें',
  send: 'भेजें',
  transcript: 'बातचीत का लेख',
  you: 'आप',
  agent: 'एजेंट',
  consent: 'आप एक स्वचालित एजेंट से बात करेंगे। उत्तर देने के लिए आपकी बात का उपयोग किया जाता है।',
  agree: 'सहमत हूँ, शुरू करें',
  decline: 'अभी नहीं',
  states: {
    idle: 'तैयार',
    connecting: 'कनेक्ट हो रहा है …',
    waiting: 'एजेंट की प्रतीक्षा …',
    listening: 'सुन रहा है',
    thinking: 'सोच रहा है …',
    speaking: 'बोल रहा है',
    reconnecting: 'कनेक्शन टूट गया। फिर से कोशिश हो रही है …',
    ended: 'बातचीत समाप्त हुई।',
  },
  troubles: {
    microphone: 'माइक्रोफ़ोन का उपयोग नहीं हो सकता। आप लिख सकते हैं।',
    refused: 'यह पृष्ठ बातचीत शुरू नहीं कर सकता।',
    busy: 'सभी एजेंट व्यस्त हैं। कृपया एक मिनट बाद फिर कोशिश करें।',
    unavailable: 'एजेंट से संपर्क नहीं हो सका। कृपया बाद में कोशिश करें।',
    lost: 'कनेक्शन टूट गया।',
  },
};

const languages: Record<string, Texts> = { en, de, fr, es, it, pt, nl, hi };

/** textsOf returns the texts of the first language that there is; English without one. */
export function textsOf(...wanted: (string | null | undefined)[]): { lang: string; texts: Texts } {
  for (const tag of wanted) {
    const lang = tag?.toLowerCase().split('-')[0] ?? '';
    const texts = languages[lang];
    if (texts) return { lang, texts };
  }
  return { lang: 'en', texts: en };
}
