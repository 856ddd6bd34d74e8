package offline

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// Variables, so that tests can give a slow machine more time.
var (
	// startTimeout bounds the start of a speech process, which loads its model.
	startTimeout = 20 * time.Second
	// answerTimeout bounds the response to a frame; a process that exceeds it is killed.
	answerTimeout = 10 * time.Second
	// closeTimeout is the limit for a process to exit after its input is closed.
	closeTimeout = 300 * time.Millisecond
)

// errNoAnswer is the cause of killing a hung process.
var errNoAnswer = errors.New("speech process does not answer")

// frame is a message over the pipes: see speech.h and the tables at the top of listen.c and speak.c.
type frame struct {
	kind    byte
	payload []byte
}

// process is this executable, started again as a speech process.
type process struct {
	self *os.Process
	in   *os.File
	out  *os.File
	read *bufio.Reader
	// ready is the payload of the frame that reported readiness.
	ready []byte

	ended    chan struct{} // closed when the process is gone
	endedErr error         // exit error; read after ended
	once     sync.Once
}

// start runs a speech program ("listen", "speak") and waits until it is ready.
// The files are its descriptors 3 and up.
func start(program string, args []string, files ...*os.File) (*process, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start speech process: %w", err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start speech process: %w", err), childIn.Close(), in.Close())
	}
	command := exec.Command("/proc/self/exe")
	command.Args = append([]string{"parley-speech"}, args...)
	command.Env = []string{"PARLEY_SPEECH_PROCESS=" + program, "LC_ALL=C"}
	command.Stdin, command.Stdout, command.ExtraFiles = childIn, childOut, files
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}

	p := &process{in: in, out: out, read: bufio.NewReaderSize(out, 32<<10), ended: make(chan struct{})}
	started := make(chan error)
	go p.run(command, started)
	err = <-started
	childIn.Close()
	childOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, fmt.Errorf("start speech process: %w", err)
	}
	p.out.SetReadDeadline(time.Now().Add(startTimeout))
	first, err := p.receive()
	if err == nil && first.kind != 'R' {
		err = fmt.Errorf("speech process began with %q", first.kind)
	}
	if err != nil {
		p.kill()
		return nil, fmt.Errorf("start speech process: %w", err)
	}
	p.out.SetReadDeadline(time.Time{})
	p.ready = first.payload
	return p, nil
}

// run starts the process and waits for its end on the same OS thread: the kernel's parent-death signal refers to
// the thread that started the process, which must therefore not exit.
func (p *process) run(command *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := command.Start(); err != nil {
		close(p.ended)
		started <- err
		return
	}
	p.self = command.Process
	started <- nil
	p.endedErr = command.Wait()
	close(p.ended)
}

// send writes one frame. It fails when the process has exited or does not read.
func (p *process) send(kind byte, payload []byte) error {
	if len(payload) > frameMax {
		return fmt.Errorf("frame of %d bytes is too long", len(payload))
	}
	b := make([]byte, 0, 5+len(payload))
	b = append(b, kind)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(payload)))
	b = append(b, payload...)
	p.in.SetWriteDeadline(time.Now().Add(answerTimeout))
	if _, err := p.in.Write(b); err != nil {
		return p.reason(err)
	}
	return nil
}

// receive waits for the next frame. The caller owns its payload.
func (p *process) receive() (frame, error) {
	var head [5]byte
	if _, err := io.ReadFull(p.read, head[:]); err != nil {
		return frame{}, p.reason(err)
	}
	size := binary.LittleEndian.Uint32(head[1:])
	if size > frameMax {
		return frame{}, fmt.Errorf("speech process sent a frame of %d bytes", size)
	}
	f := frame{kind: head[0], payload: make([]byte, size)}
	if _, err := io.ReadFull(p.read, f.payload); err != nil {
		return frame{}, p.reason(err)
	}
	if f.kind == 'E' {
		return frame{}, errors.New(string(f.payload))
	}
	return f, nil
}

// reason returns why a pipe failed: usually because the process has exited.
func (p *process) reason(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errNoAnswer
	}
	select {
	case <-p.ended:
	case <-time.After(closeTimeout):
		return fmt.Errorf("speech process: %w", err)
	}
	if p.endedErr != nil {
		return fmt.Errorf("speech process ended: %w", p.endedErr)
	}
	return fmt.Errorf("speech process ended: %w", err)
}

// alive reports whether the process runs.
func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// close ends the process, by force after closeTimeout.
func (p *process) close() {
	p.once.Do(func() {
		p.in.Close()
		select {
		case <-p.ended:
		case <-time.After(closeTimeout):
			p.self.Kill()
			<-p.ended
		}
		p.out.Close()
	})
}

// kill sends SIGKILL to the process.
func (p *process) kill() {
	p.once.Do(func() {
		p.self.Kill()
		<-p.ended
		p.in.Close()
		p.out.Close()
	})
}

// pcmBytes encodes audio for the pipes.
func pcmBytes(pcm []int16) []byte {
	b := make([]byte, 0, 2*len(pcm))
	for _, s := range pcm {
		b = binary.LittleEndian.AppendUint16(b, uint16(s))
	}
	return b
}

// pcmSamples returns the inverse of pcmBytes.
func pcmSamples(b []byte) []int16 {
	pcm := make([]int16, len(b)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return pcm
}
