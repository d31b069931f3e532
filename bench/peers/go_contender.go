// Go in the micro benchmarks, on one core where the others have one thread. See support/scenario.hpp for the protocol.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

var cpuUsed, wallUsed time.Duration
var wallBegan time.Time

func cpu() time.Duration {
	var use syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &use)
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

func peakMemory() float64 {
	var use syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &use)
	return float64(use.Maxrss) * 1024
}

func begin() {
	wallBegan = time.Now()
	cpuUsed = cpu()
}

func end() {
	cpuUsed = cpu() - cpuUsed
	wallUsed = time.Since(wallBegan)
}

var metric string
var figure float64

func yield(n int) {
	runtime.GOMAXPROCS(1)
	var both sync.WaitGroup
	both.Add(2)
	begin()
	for i := 0; i < 2; i++ {
		go func() {
			for k := 0; k < n/2; k++ {
				runtime.Gosched()
			}
			both.Done()
		}()
	}
	both.Wait()
	end()
}

func spawnAll(n, batch int) {
	runtime.GOMAXPROCS(1)
	begin()
	for i := 0; i < n; i += batch {
		var all sync.WaitGroup
		all.Add(batch)
		for k := 0; k < batch; k++ {
			go all.Done()
		}
		all.Wait()
	}
	end()
}

func sleepers(n int) {
	runtime.GOMAXPROCS(1)
	memory := peakMemory()
	state := uint64(88172645463325252)
	var all sync.WaitGroup
	all.Add(n)
	begin()
	for i := 0; i < n; i++ {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		wait := time.Duration(state % 1000000000)
		go func() {
			time.Sleep(wait)
			all.Done()
		}()
	}
	all.Wait()
	end()
	metric, figure = "memory B", (peakMemory()-memory)/float64(n)
}

func armCancel(n int) {
	runtime.GOMAXPROCS(1)
	begin()
	for i := 0; i < n; i++ {
		time.AfterFunc(500*time.Millisecond, func() {}).Stop()
	}
	end()
}

func pin(core int) {
	runtime.LockOSThread()
	set := [16]uint64{1 << (core % runtime.NumCPU())}
	syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
}

func crossThread(n int) {
	there, back := make(chan int), make(chan int)
	go func() {
		pin(1)
		for i := range there {
			back <- i
		}
	}()
	pin(0)
	begin()
	for i := 0; i < n; i++ {
		there <- i
		<-back
	}
	end()
}

var scenarios = []struct {
	name string
	run  func(int)
}{
	{"yield", yield},
	{"when_all_10", func(n int) { spawnAll(n, 10) }},
	{"when_all_1000", func(n int) { spawnAll(n, 1000) }},
	{"spawn_1m", func(n int) { spawnAll(n, n) }},
	{"sleepers_1m", sleepers},
	{"timer_arm_cancel", armCancel},
	{"cross_thread", crossThread},
}

func main() {
	if len(os.Args) != 3 {
		for _, s := range scenarios {
			fmt.Println(s.name)
		}
		return
	}
	n, _ := strconv.Atoi(os.Args[2])
	for _, s := range scenarios {
		if s.name != os.Args[1] {
			continue
		}
		s.run(n)
		fmt.Printf("cpu_time ns %.3f\nwall_time s %.6f\n", float64(cpuUsed.Nanoseconds())/float64(n), wallUsed.Seconds())
		if metric != "" {
			fmt.Printf("%s %.4f\n", metric, figure)
		}
		return
	}
	fmt.Fprintf(os.Stderr, "no scenario is named '%s'\n", os.Args[1])
	os.Exit(2)
}
